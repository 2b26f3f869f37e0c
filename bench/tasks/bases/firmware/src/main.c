#include "config.h"

void uart_init(void);
void dog_start(void);
void dog_feed(void);
int uart_read(void);

int main(void)
{
    uart_init();
    dog_start();
    for (;;) {
        int c = uart_read();
        if (c == 'r')
            for (;;) ;  /* wait to be reset */
        dog_feed();
    }
}
