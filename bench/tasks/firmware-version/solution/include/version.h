#ifndef VERSION_H
#define VERSION_H

#define VERSION_MAJOR 2
#define VERSION_MINOR 4
#define VERSION_STRING "2.4"

#endif
