from checking import equal, expect, function, unchanged

Stack = function("stack", "Stack")
one = Stack()
expect(one.is_empty(), "A new stack is not empty.")
for item in "abc":
    one.push(item)
expect(not one.is_empty(), "A stack is empty after a push.")
equal(one.peek(), "c", "What peek() gives after a, b and c were pushed")
equal([one.pop(), one.pop(), one.pop()], ["c", "b", "a"], "What pop() gives then, three times")
expect(one.is_empty(), "A stack is not empty after all was popped.")
other = Stack()
other.push(1)
expect(one.is_empty(), "Two stacks share their items.")
unchanged()
