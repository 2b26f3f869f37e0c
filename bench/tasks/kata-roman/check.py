from checking import function, same, unchanged

to_roman = function("roman", "to_roman")
few = {1: "I", 4: "IV", 9: "IX", 14: "XIV", 40: "XL", 90: "XC", 400: "CD"}
many = {944: "CMXLIV", 1994: "MCMXCIV", 2024: "MMXXIV", 3999: "MMMCMXCIX"}
for number, roman in (few | many).items():
    same(to_roman(number), roman, f"to_roman({number})")
unchanged("README.md", "test_kata.py")
