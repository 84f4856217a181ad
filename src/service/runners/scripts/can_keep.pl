# Whether this Perl can be a keeper: perl can_keep.pl NUMBER, the number of the system call prctl. It ends with 0 if it can.
exit(syscall($ARGV[0] + 0, 36, 1, 0, 0, 0) == 0 ? 0 : 1);
