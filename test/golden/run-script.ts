import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Runs a program that writes its findings with `--json`, and returns them. Its exit code says only whether there are any. */
export async function runScript(script: string, args: readonly string[]): Promise<unknown> {
  const directory = await mkdtemp(join(tmpdir(), 'strata-golden-'))
  const file = join(directory, 'results.json')
  try {
    const child = spawn(process.execPath, [script, ...args, '--json', file], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, KUBECONFIG: '', TERM: 'dumb' },
    })
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-4_000)
    })
    const killChild = (): boolean => child.kill('SIGKILL')
    process.once('exit', killChild)
    await once(child, 'close')
    process.off('exit', killChild)
    const text = await readFile(file, 'utf8').catch((cause: unknown) => {
      throw new Error(`${script} left no results; its last words:\n${errors}`, { cause })
    })
    return JSON.parse(text)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
