import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end, with a home of its own: the kubeconfig of the person at the keyboard does not count. */
export async function runCommand(
  [program = '', ...args]: readonly string[],
  home: string,
  input?: unknown,
): Promise<Ran> {
  const child = spawn(program, args, {
    env: { ...process.env, HOME: home, XDG_STATE_HOME: home, KUBECONFIG: '', TERM: 'dumb', NO_COLOR: '1' },
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  // It need not read what it is given.
  child.stdin.on('error', () => {})
  child.stdin.end(input === undefined ? '' : JSON.stringify(input))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}
