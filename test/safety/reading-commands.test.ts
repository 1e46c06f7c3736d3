// Which commands are granted by their first word: those that can neither run a program nor write nor leave the workspace.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readerIn } from '#safety/reading-commands.ts'

test('a program that only reads, with paths in the workspace, is known by its first word', () => {
  for (const command of [
    'ls',
    ' ls -la notes ',
    'cat a.txt "b c.txt" \'d\'',
    'head -n 5 src/app.ts',
    'tail -20 log/today.log',
    'wc -l *.md src/*/x?.ts',
    'grep -rn --include=*.ts "needle in it" src',
    'sha256sum a..b',
    'ls .git',
  ]) {
    assert.equal(readerIn(command), command.trim().split(' ', 1)[0], command)
  }
})

test('whatever runs a program, writes, leaves the workspace or needs the shell is not', () => {
  for (const command of [
    '',
    "git -c alias.x='!sh' x",
    "sed '1e id' a",
    'npm exec x',
    'taskset 1 sh',
    'prlimit sh',
    'cp ../master-key here',
    'find . -exec sh',
    'sort -o a b',
    'uniq a b',
    'tree -o a',
    'awk 1 a',
    'A=1 ls',
    './ls',
    '/bin/ls',
    'ls;id',
    'ls & id',
    'ls | sh',
    'ls\nid',
    'ls\rid',
    'ls\tid',
    'cat `id`',
    'cat $(id)',
    'cat $HOME',
    'cat "$HOME"',
    'cat a > b',
    'cat < a',
    'cat {a,b}',
    'cat a #b',
    'cat !!',
    'cat a\\ b',
    'cat /etc/passwd',
    'cat "/etc/passwd"',
    'cat ../master-key',
    'cat a/../../b',
    "cat '..'/b",
    "cat '.'./b",
    'cat ~/x',
    'cat ~root/x',
    'ls .*',
    'cat .?/master-key',
    'cat a/.[.]/b',
    'grep -f/etc/passwd x',
    'grep --file=/etc/passwd x',
    'grep --file=../x y',
    'grep -r --file=a..',
    'grep -rf..',
    "cat 'open",
    'cat "open',
  ]) {
    assert.equal(readerIn(command), undefined, command)
  }
})
