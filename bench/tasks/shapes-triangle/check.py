from checking import equal, expect, load, unchanged

geometry = load("geometry")
for base, height, wanted in ((4, 3, 6), (5, 3, 7.5), (0, 2, 0)):
    equal(geometry.area_of_triangle(base, height), wanted, f"area_of_triangle({base}, {height})")
equal(geometry.area_of_rectangle(2, 3), 6, "area_of_rectangle(2, 3)")
equal(geometry.distance((0, 0), (3, 4)), 5, "distance((0, 0), (3, 4))")
expect(3.14 < geometry.area_of_circle(1) < 3.15, "area_of_circle was broken.")
unchanged("geometry.py")
