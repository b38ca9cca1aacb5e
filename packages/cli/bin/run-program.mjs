// Plain JavaScript, because it runs on whatever Node the machine has.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP']

// Ctrl-C, and the closing of a terminal, reach every process of the group by themselves. Forwarding them
// as well would make one key press look like two, and two means "stop at once" to many programs.
const sentByTerminal = (signal) =>
  signal !== 'SIGTERM' && [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY)

/**
 * Runs a program in our place: our stdio, our signals, and its exit code becomes ours. `kill -9` cannot be handed on; but
 * then the channel that they have in common is closed, and the program sees that nobody stands before it any more; so it is
 * when `alone` is aborted, because whoever stood before us is gone.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, alone?: AbortSignal }} [options]
 * @returns {Promise<number>} the exit code, 128 + n for signal n as shells have it
 */
export function runProgram(program, args, { alone, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
    alone?.addEventListener('abort', () => child.connected && child.disconnect(), { once: true })
    const sent = new Set()
    const forward = (signal) => {
      if (sent.has(signal) || sentByTerminal(signal)) return
      sent.add(signal)
      child.kill(signal)
    }
    for (const signal of FORWARDED) process.on(signal, forward)
    const finish = () => {
      for (const signal of FORWARDED) process.off(signal, forward)
    }
    child.once('error', (error) => {
      finish()
      reject(error)
    })
    child.once('exit', (code, signal) => {
      finish()
      resolve(code ?? 128 + (constants.signals[signal] ?? 0))
    })
  })
}
