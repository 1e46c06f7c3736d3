// Giving the terminal back as it was, whatever ends this process.
import { spawn, spawnSync } from 'node:child_process'

/** Out of the other screen, lines that wrap, a cursor, no bracketed paste, the keyboard as it was. */
const asBefore = '\\033[?1049l\\033[?7h\\033[?25h\\033[?2004l\\033[<u\\033[>4;0m\\033[0m'

/**
 * Before the terminal is taken: a small shell waits for the end of this process, since one that is killed cannot give the
 * terminal back itself. What is sent to all processes of the terminal does not end it. Returns how to send it home.
 */
export function watchOver(): () => void {
  const { stdout, status } = spawnSync('stty', ['-g'], { stdio: ['inherit', 'pipe', 'ignore'], encoding: 'utf8' })
  const script = `trap '' INT HUP TERM TTOU; read -r word && exit; printf '${asBefore}' >/dev/tty; stty "$1" </dev/tty`
  const was = status === 0 ? stdout.trim() : 'sane'
  const child = spawn('/bin/sh', ['-c', script, 'sh', was], { stdio: ['pipe', 'ignore', 'ignore'] })
  child.on('error', () => {})
  child.stdin.on('error', () => {})
  child.unref()
  return () => void child.stdin.end('done\n')
}
