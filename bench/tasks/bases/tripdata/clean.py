from stations import station_name


def clean_trips(rows):
    trips = []
    for row in rows:
        if not row["end_station"]:
            continue
        trips.append(
            {
                "start": station_name(row["start_station"]),
                "end": station_name(row["end_station"]),
                "duration": round(int(row["duration"]) / 60, 1),
                "member": row["user_type"] == "M",
            }
        )
    return trips
