// A process that may open no other file.
import { execFileSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'

const maxFiles = 200

/** Opens as many files as this process may, with a low limit. The end of the block closes them and restores the limit. */
export function openAllFiles(): Disposable {
  const before = setLimit(maxFiles)
  const open: number[] = []
  try {
    for (;;) open.push(openSync('/dev/null', 'r'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EMFILE') throw error
  }
  return {
    [Symbol.dispose]() {
      for (const fd of open) closeSync(fd)
      setLimit(before)
    },
  }
}

/** Returns the limit of before. */
function setLimit(files: number): number {
  const own = ['--pid', String(process.pid)]
  const before = execFileSync('prlimit', [...own, '--nofile', '--noheadings', '--raw', '--output=SOFT'], {
    encoding: 'utf8',
  })
  execFileSync('prlimit', [...own, `--nofile=${files}:`])
  return Number(before)
}
