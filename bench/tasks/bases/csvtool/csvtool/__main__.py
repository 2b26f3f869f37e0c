from csvtool.cli import main

main()
