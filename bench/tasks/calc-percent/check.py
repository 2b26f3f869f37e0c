from checking import equal, load, tests_pass, unchanged

tests_pass()
calc = load("calc")
equal((calc.percent(1, 2), calc.percent(3, 4)), (50, 75), "What percent(1, 2) and percent(3, 4) give")
equal((calc.add(1, 1), calc.subtract(1, 3)), (2, -2), "What add(1, 1) and subtract(1, 3) give")
unchanged("calc.py")
