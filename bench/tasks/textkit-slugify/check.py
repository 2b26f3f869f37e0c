from checking import function, same, tests_pass, unchanged

slugify = function("textkit.slugify", "slugify")
cases = {"Hello, World!": "hello-world", "  10 Tips & Tricks ": "10-tips-tricks", "": "", "a--b__c": "a-b-c", "!!!": ""}
for given, wanted in cases.items():
    same(slugify(given), wanted, f"slugify({given!r})")
tests_pass()
unchanged()
