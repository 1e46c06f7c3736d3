// Restores the terminal, however this process ends.
import { spawn, spawnSync } from 'node:child_process'
import { hasPipes } from '#lib/pipes.ts'

/** Leaves the alternate screen; restores line wrap, cursor, paste mode and keyboard protocol. */
const resetSequence = '\\033[?1049l\\033[?7h\\033[?25h\\033[?2004l\\033[<u\\033[>4;0m\\033[0m'

/**
 * Call before the terminal is taken. Starts a small shell that waits for this process to end and then restores the terminal,
 * since a killed process cannot. The shell ignores signals sent to all processes of the terminal. Returns a function that
 * ends the shell.
 */
export function startRestorer(): () => void {
  const { stdout, status } = spawnSync('stty', ['-g'], { stdio: ['inherit', 'pipe', 'ignore'], encoding: 'utf8' })
  // The modes first: once the screen is back, what is typed is echoed again.
  const script = `trap '' INT HUP TERM TTOU; read -r word && exit; stty "$1" </dev/tty; printf '${resetSequence}' >/dev/tty`
  const was = status === 0 ? stdout.trim() : 'sane'
  const child = spawn('/bin/sh', ['-c', script, 'sh', was], { stdio: ['pipe', 'ignore', 'ignore'] })
  if (!hasPipes(child)) return () => {}
  child.on('error', () => {})
  child.stdin.on('error', () => {})
  child.unref()
  return () => void child.stdin.end('done\n')
}
