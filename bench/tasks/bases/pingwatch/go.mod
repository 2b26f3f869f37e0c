module example.org/pingwatch

go 1.21
