from checking import function, same, unchanged

wind_name = function("beaufort", "wind_name")
cases = {0: "calm", 0.49: "calm", 0.5: "light", 5.4: "light", 5.5: "fresh", 10.8: "strong", 24.4: "strong"}
for speed, name in (cases | {24.5: "storm", 40: "storm"}).items():
    same(wind_name(speed), name, f"wind_name({speed})")
unchanged()
