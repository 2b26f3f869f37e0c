#ifndef CONFIG_H
#define CONFIG_H

#define CPU_HZ 16000000UL
#define UART_BAUD 9600UL
#define RX_BUFFER_SIZE 128
#define TX_BUFFER_SIZE 64
#define DOG_TIMEOUT_MS 250

#endif
