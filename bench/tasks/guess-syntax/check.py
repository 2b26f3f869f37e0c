from checking import equal, function, unchanged

hint = function("guess", "hint")
function("guess", "main")
equal([hint(50, 10), hint(50, 90), hint(50, 50)], ["higher", "lower", "correct"], "What hint gives")
unchanged("guess.py")
