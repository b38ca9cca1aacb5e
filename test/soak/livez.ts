import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Access } from '../support/serve-process.ts'

export interface LivezFigures {
  readonly probes: number
  /** Probes that got no answer, or not 200. */
  readonly failures: readonly string[]
  readonly medianMs: number
  readonly p99Ms: number
  readonly slowestMs: number
  /** The slowest one without what the probing process waited for the machine during that very probe. */
  readonly slowestOfServerMs: number
  /** How late the probing process itself was woken at worst. */
  readonly ownDelayMs: number
}

/** Asks /livez of a server from another process, until the returned function is called. */
export async function probeLivez(
  { url, ca }: Access,
  directory: string,
): Promise<() => Promise<LivezFigures>> {
  const caFile = join(directory, 'soak-ca.crt')
  await writeFile(caFile, ca)
  const program = join(import.meta.dirname, 'livez-prober.ts')
  const child = spawn(process.execPath, [program, url, caFile], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  const end = (): void => {
    child.kill('SIGKILL')
  }
  process.once('exit', end)
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  const closed = once(child, 'close')
  return async () => {
    child.stdin.end('end\n')
    await closed
    process.off('exit', end)
    return JSON.parse(printed) as LivezFigures
  }
}
