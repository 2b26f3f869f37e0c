import unittest

from jobqueue.queue import Queue


class QueueTest(unittest.TestCase):
    def test_first_in_first_out(self):
        queue = Queue()
        queue.push("mail", {"to": "ann"}, run_at=1)
        queue.push("mail", {"to": "bob"}, run_at=2)
        self.assertEqual(queue.pop(now=5)[2], {"to": "ann"})
        self.assertEqual(queue.pop(now=5)[2], {"to": "bob"})
        self.assertIsNone(queue.pop(now=5))


if __name__ == "__main__":
    unittest.main()
