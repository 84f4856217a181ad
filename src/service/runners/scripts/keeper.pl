# The keeper: a small parent of one task, in Perl, which is on nearly every Linux and starts in a few milliseconds.
#
# It is a "child subreaper" (prctl(2)): whatever comes from the task and loses its parent becomes the keeper's own child,
# in whichever session, user or environment it hides. So the keeper knows when nothing of the task is left. When the
# service goes away, however it ends, the keeper's standard input ends, and it kills all that it has.
#
# It loads no module, strict neither, since that would take longer than all the rest; a test has Perl check it.
#
# Arguments: the number of the system call prctl, then the command. Standard input: held open by the service.
# Descriptor 3: "pipes <descriptor> <descriptor>", which the service answers with a "y" where it has opened them;
# "failed <errno>", or "started" and later "ended <wait status>".

my ($prctl, @command) = @ARGV;
my @signals = qw(HUP INT QUIT PIPE ALRM TERM USR1 USR2 TSTP TTIN TTOU);
$SIG{$_} = 'IGNORE' for @signals;
open(my $report, '>&=', 3) or exit 1;
fcntl($report, 2, 1);
open(my $life, '<&', \*STDIN);
open(STDIN, '<', '/dev/null');
syscall($prctl + 0, 36, 1, 0, 0, 0);

# The task writes into pipes: those that Node makes are sockets, which hold few small writes, take twice the time for each,
# and cannot be opened as /dev/stdout and /dev/stderr.
pipe(my $output, my $out);
pipe(my $errors, my $error);
tell_service('pipes ' . fileno($output) . ' ' . fileno($errors));
my $answer = '';
sysread($life, $answer, 1) or exit 1;
if ($answer eq 'y') { open(STDOUT, '>&', $out); open(STDERR, '>&', $error); }
close($_) for ($output, $out, $errors, $error);

# The keeper has a keeper: a task that kills its parent does not get rid of both.
my $keeper = fork();
if (!defined $keeper) { tell_service('failed ' . ($! + 0)); exit 1; }
if ($keeper != 0) {
  close($report);
  keep($keeper, undef);
}
syscall($prctl + 0, 36, 1, 0, 0, 0);
pipe(my $seen, my $told);
my $task = fork();
if (!defined $task) { tell_service('failed ' . ($! + 0)); exit 1; }
if ($task == 0) {
  # A group of its own, so that a task that signals its group does not signal the keeper.
  setpgrp(0, 0);
  $SIG{$_} = 'DEFAULT' for @signals;
  delete @ENV{qw(MILLRACE_KEEPER PERL_BADLANG)};
  for (keys %ENV) { $ENV{$1} = delete $ENV{$_} if /^MILLRACE_KEPT_(.+)/; }
  { exec { $command[0] } @command; }
  syswrite($told, $! + 0);
  kill('KILL', $$);
}
close($told);
my $failed = '';
sysread($seen, $failed, 16);
if ($failed ne '') { tell_service("failed $failed"); exit 1; }
tell_service('started');
keep($task, sub { tell_service("ended $_[0]"); });

# Waits until nobody is left, or until this is no longer wanted, and then kills whoever is left.
sub keep {
  my ($child, $on_end) = @_;
  open(STDOUT, '>', '/dev/null');
  open(STDERR, '>', '/dev/null');
  pipe(my $woken, my $waker);
  $SIG{CHLD} = sub { syswrite($waker, 'x'); };
  my ($status, $pid);
  while (1) {
    while (($pid = waitpid(-1, 1)) > 0) { $status = $? if $pid == $child; }
    last if defined $status && !$on_end;
    if (defined $status) { $on_end->($status); undef $status; }
    exit 0 if $pid < 0;
    # The service wakes the first keeper, and that one the second, if the task has stopped them.
    kill('CONT', $child) unless $on_end;
    my $ready = '';
    vec($ready, fileno($life), 1) = 1;
    vec($ready, fileno($woken), 1) = 1;
    next unless select($ready, undef, undef, 1) > 0;
    sysread($woken, my $ignored, 64) if vec($ready, fileno($woken), 1);
    last if vec($ready, fileno($life), 1);
  }
  # Whoever loses its parent here becomes a child of the keeper, so that killing its children again and again gets all.
  my ($limit, $before) = (time() + 3, '');
  while (($pid = waitpid(-1, 1)) >= 0 && time() < $limit) {
    # The task's end may come together with the service's word.
    if ($pid > 0) { $on_end->($?) if $on_end && $pid == $child; next; }
    my @left = children();
    kill('KILL', $_) for @left;
    # New ones are gone after at once: what forks to run away has little time to do it.
    select(undef, undef, undef, 0.002) if "@left" eq $before;
    $before = "@left";
  }
  exit 0;
}

sub children {
  if (open(my $list, '<', "/proc/self/task/$$/children")) { return split(' ', join('', <$list>)); }
  opendir(my $proc, '/proc') or return ();
  return grep { /^\d+$/ && parent($_) == $$ } readdir($proc);
}

sub parent {
  open(my $stat, '<', "/proc/$_[0]/stat") or return 0;
  return join('', <$stat>) =~ /.*\) \S (\d+)/s ? $1 : 0;
}

sub tell_service { syswrite($report, "$_[0]\n"); }
