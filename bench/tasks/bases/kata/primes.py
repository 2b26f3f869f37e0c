def primes(limit):
    """All primes below limit."""
    sieve = [True] * limit
    found = []
    for n in range(2, limit):
        if sieve[n]:
            found.append(n)
            for multiple in range(n * n, limit, n):
                sieve[multiple] = False
    return found
