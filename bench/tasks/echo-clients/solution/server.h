#ifndef SERVER_H
#define SERVER_H

#define MAX_CLIENTS 64
#define BACKLOG 16
#define BUFFER_SIZE 1024

int serve(int port);

#endif
