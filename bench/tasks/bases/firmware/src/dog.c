#include "config.h"

static unsigned left;

/* The watchdog resets the controller if nobody feeds it in time. */
void dog_start(void)
{
    left = DOG_TIMEOUT_MS;
}

void dog_feed(void)
{
    left = DOG_TIMEOUT_MS;
}
