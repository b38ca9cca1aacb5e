import { spawn } from 'node:child_process'

/**
 * Thaws a frozen process when this one has ended, also after `kill -9`: its end closes the pipe that the guard reads. A member
 * that goes on then notices that its parent is gone, and stops. Ends the guard when it is called. SIGCONT harms no process
 * that has got the number meanwhile.
 */
export function guardFrozen(pid: number): () => void {
  const guard = spawn('/bin/sh', ['-c', `read -r line; kill -CONT ${pid}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Ctrl-C in the terminal is for the parent alone.
    detached: true,
  })
  // Without a shell there is no guard.
  guard.on('error', () => {})
  guard.stdin.on('error', () => {})
  guard.unref()
  return () => {
    guard.kill('SIGKILL')
  }
}
