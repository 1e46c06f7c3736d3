// A process that may open no other file.
import { execFileSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'

const maxFiles = 200

/** Opens as many files as this process may, once its limit is low. The end of the block closes them; the limit stays. */
export function openAllFiles(): Disposable {
  execFileSync('prlimit', ['--pid', String(process.pid), `--nofile=${maxFiles}:`])
  const open: number[] = []
  try {
    for (;;) open.push(openSync('/dev/null', 'r'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EMFILE') throw error
  }
  return { [Symbol.dispose]: () => open.forEach((fd) => closeSync(fd)) }
}
