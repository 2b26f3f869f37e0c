#include <stdio.h>
#include <stdlib.h>

#include "server.h"

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: echo PORT\n");
        return 2;
    }
    return serve(atoi(argv[1]));
}
