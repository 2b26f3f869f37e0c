from listhelp import chunks, first_n, last_n

numbers = list(range(10))
print(first_n(numbers, 3), last_n(numbers, 3), chunks(numbers, 4))
