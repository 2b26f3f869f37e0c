from datetime import date

from checking import expect, function, same, tests_pass, unchanged

Member = function("library.members", "Member")
member = Member("Ada", "ada@example.org")
same(getattr(member, "email", None), "ada@example.org", "member.email")
expect(not hasattr(member, "mail"), "There still is a field mail.")
same(Member(name="Bob", email="b@example.org").loans, [], "The loans of a new member")
loan = function("library.loans", "lend")(member, "978-1", date(2024, 1, 1))
letter = function("library.letters", "reminder")(member, loan)
wanted = "To: ada@example.org\n\nDear Ada,\nplease return 978-1 by 2024-01-29.\n"
same(letter, wanted, "The reminder")
tests_pass()
unchanged("library/members.py", "library/letters.py")
