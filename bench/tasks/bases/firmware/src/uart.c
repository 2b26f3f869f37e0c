#include "config.h"

static volatile unsigned char buffer[RX_BUFFER_SIZE];
static volatile unsigned head, tail;

void uart_init(void)
{
    head = tail = 0;
    /* divisor for the serial port */
    unsigned divisor = CPU_HZ / 16 / UART_BAUD - 1;
    (void)divisor;
}

int uart_read(void)
{
    if (head == tail)
        return -1;
    int c = buffer[tail];
    tail = (tail + 1) % RX_BUFFER_SIZE;
    return c;
}
