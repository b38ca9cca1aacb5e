import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** A controller in a process of its own, with what it has said. */
export interface Keeper {
  readonly identity: string
  readonly output: string
  readonly isRunning: () => boolean
  /** As the machine does it that runs out of memory: without a word. */
  readonly kill: () => Promise<void>
}

export function startKeeper(language: 'node' | 'python', identity: string, kubeconfig: string): Keeper {
  const { program, script, environment } = language === 'node' ? nodeProgram() : pythonProgram()
  const child = spawn(program, [join(import.meta.dirname, script), identity, kubeconfig], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment, KUBECONFIG: '' },
  })
  let output = ''
  const hear = (text: string): void => {
    output = (output + text).slice(-20_000)
  }
  child.stdout.setEncoding('utf8').on('data', hear)
  child.stderr.setEncoding('utf8').on('data', hear)
  const killChild = (): boolean => child.kill('SIGKILL')
  process.once('exit', killChild)
  const closed = once(child, 'close').then(() => process.off('exit', killChild))
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null
  return {
    identity,
    get output() {
      return `${identity}${isRunning() ? '' : ', which has ended'}:\n${output}`
    },
    isRunning,
    kill: async () => {
      if (isRunning()) child.kill('SIGKILL')
      await closed
    },
  }
}

const nodeProgram = () => ({ program: process.execPath, script: 'keeper.ts', environment: {} })

function pythonProgram() {
  const modules = process.env['STRATA_PYTHON_CLIENT']
  if (!modules) {
    throw new Error(
      'STRATA_PYTHON_CLIENT must say where the kubernetes client for Python is; npm test brings it, and node tools/setup/part.mjs python-client prints it',
    )
  }
  return { program: 'python3', script: 'keeper.py', environment: { PYTHONPATH: modules } }
}
