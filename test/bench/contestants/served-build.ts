import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { nodeClock } from '@strata/world/node'
import { freePorts } from '../../support/free-ports.ts'
import { until } from '../../support/until.ts'
import type { LoadTarget } from '../load/load-client.ts'

/** A server of one build in a process of its own, as users run it. */
export interface ServedBuild {
  readonly target: LoadTarget
  /** From the start of the process until it said that it was ready. */
  readonly readyMs: number
  processorMs(): number
  memoryBytes(): number
  stop(): Promise<void>
}

/** The storage of a server: all below the directory, or its objects in an etcd. */
export interface Home {
  readonly directory: string
  readonly etcd?: readonly string[]
}

/** `bundle`: `dist/strata.mjs`, or any other build of it. */
export async function serveBuild(bundle: string, { directory, etcd }: Home): Promise<ServedBuild> {
  const [port] = await freePorts(1)
  const args = ['serve', '--data-dir', directory, '--secure-port', String(port)]
  if (etcd) args.push('--etcd-servers', etcd.join(','))
  return runServer([bundle, ...args], directory, `https://127.0.0.1:${port}`)
}

/** Starts a program of Node that serves `url` and keeps its credentials below the directory. */
export async function runServer(
  program: readonly string[],
  directory: string,
  url: string,
): Promise<ServedBuild> {
  const startMs = nodeClock.monotonicMs()
  const child = spawn(process.execPath, program, { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (text: Buffer) => {
    said = (said + text.toString()).slice(-4000)
  })
  const kill = (): boolean => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  try {
    await until('the server is ready', async () => {
      if (child.exitCode !== null) throw new Error(`the server exited with code ${child.exitCode}: ${said}`)
      return isReady(url)
    })
    const readyMs = nodeClock.monotonicMs() - startMs
    const pki = join(directory, 'pki')
    return {
      target: {
        url,
        token: readFileSync(join(pki, 'admin.token'), 'utf8').trim(),
        ca: readFileSync(join(pki, 'ca.crt'), 'utf8'),
      },
      readyMs,
      processorMs: () => processorMs(child.pid ?? 0),
      memoryBytes: () => memoryBytes(child.pid ?? 0),
      stop: () => stop(child),
    }
  } catch (error) {
    kill()
    throw error
  }
}

function isReady(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request(`${url}/readyz`, { rejectUnauthorized: false, agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    asked.on('error', () => resolve(false))
    asked.end()
  })
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

/** The CPU time of all threads. Linux counts in hundredths of a second; elsewhere `ps` does. */
function processorMs(pid: number): number {
  if (process.platform === 'linux') {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
    return 10 * (Number(fields[11]) + Number(fields[12]))
  }
  const [seconds = 0, minutes = 0, hours = 0] = ps(pid, 'time').split(':').map(Number).reverse()
  return 1000 * (seconds + 60 * (minutes + 60 * hours))
}

export const memoryBytes = (pid: number): number => 1024 * Number(ps(pid, 'rss'))

function ps(pid: number, column: string): string {
  return execFileSync('ps', ['-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8' }).trim()
}
