#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server.h"

int serve(int port) {
    struct pollfd all[MAX_CLIENTS + 1];
    struct sockaddr_in here;
    char buffer[BUFFER_SIZE];
    int used = 1;

    memset(&here, 0, sizeof here);
    here.sin_family = AF_INET;
    here.sin_port = htons(port);
    all[0].fd = socket(AF_INET, SOCK_STREAM, 0);
    all[0].events = POLLIN;
    if (bind(all[0].fd, (struct sockaddr *)&here, sizeof here) < 0 || listen(all[0].fd, BACKLOG) < 0)
        return 1;
    while (poll(all, used, -1) > 0) {
        if ((all[0].revents & POLLIN) && used <= MAX_CLIENTS) {
            all[used].fd = accept(all[0].fd, NULL, NULL);
            all[used].events = POLLIN;
            all[used++].revents = 0;
        }
        for (int i = 1; i < used; i++) {
            if (!(all[i].revents & POLLIN))
                continue;
            ssize_t got = read(all[i].fd, buffer, sizeof buffer);
            if (got > 0 && write(all[i].fd, buffer, got) == got)
                continue;
            close(all[i].fd);
            all[i--] = all[--used];
        }
    }
    return 0;
}
