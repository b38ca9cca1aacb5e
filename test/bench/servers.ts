import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { HttpHeaders } from '@strata/world'
import { createNodeTransport, type NodeTransport } from '@strata/world/node'
import { freePorts } from '../support/free-ports.ts'
import { until } from '../support/until.ts'

export interface BenchServer {
  readonly transport: NodeTransport
  readonly token: string
  stop(): Promise<void>
}

const serveScript = new URL('./serve.ts', import.meta.url).pathname
const never = new AbortController().signal

export function adminHeaders(token: string): HttpHeaders {
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
}

/** A server in a process of its own, so that the load does not share its thread. */
export async function startBenchServer(
  directory: string,
  options: { readonly etcd?: readonly string[]; readonly fenced: boolean },
): Promise<BenchServer> {
  const [port] = await freePorts(1)
  const settings = JSON.stringify({ directory, port, ...options })
  const child = spawn(process.execPath, [serveScript, settings], { stdio: ['ignore', 'inherit', 'inherit'] })
  process.once('exit', () => child.kill('SIGKILL'))
  try {
    const pki = join(directory, 'pki')
    const [token, ca] = await until('the server has made its credentials', () =>
      Promise.all([readFile(join(pki, 'admin.token'), 'utf8'), readFile(join(pki, 'ca.crt'), 'utf8')]).catch(
        () => undefined,
      ),
    )
    const transport = createNodeTransport({ server: `https://127.0.0.1:${port}`, ca })
    await until('the server is ready', () => isReady(transport, child))
    return { transport, token, stop: () => stop(child, transport) }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}

async function isReady(transport: NodeTransport, child: ChildProcess): Promise<boolean> {
  if (child.exitCode !== null) throw new Error(`the server exited with code ${child.exitCode}`)
  const asked = transport({ method: 'GET', target: '/readyz', headers: {}, signal: never })
  return asked.then(({ status }) => status === 200).catch(() => false)
}

async function stop(child: ChildProcess, transport: NodeTransport): Promise<void> {
  transport.close()
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}
