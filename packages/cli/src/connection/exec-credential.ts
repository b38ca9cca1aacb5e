import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { isUnauthorized } from '@strata/client'
import type { Clock, HttpRequest, HttpResponse } from '@strata/world'
import { createNodeTransport, type NodeTransport } from '@strata/world/node'
import { CliError } from '../output/errors.ts'
import type { ClusterAccess } from './kubeconfig.ts'

/** A program that gives credentials, as cloud providers have them (users[].user.exec). */
export interface ExecPlugin {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly apiVersion: string
  readonly installHint?: string
}

interface Credential {
  readonly token?: string
  readonly cert?: string
  readonly key?: string
  /** By the clock on the wall, which is the one that whoever gave it looked at. */
  readonly expiresMs?: number
}

const apiVersions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']

/** A plugin as the kubeconfig has it. Names what is missing, and where. */
export function parsePlugin(exec: unknown, where: string): ExecPlugin {
  const { command, args, env, apiVersion, installHint } = (exec ?? {}) as Readonly<Record<string, unknown>>
  if (typeof command !== 'string' || command === '') throw new CliError(`${where}.exec.command is missing`)
  if (typeof apiVersion !== 'string' || !apiVersions.includes(apiVersion)) {
    throw new CliError(
      `${where}.exec.apiVersion: ${String(apiVersion)} is not one of ${apiVersions.join(', ')}`,
    )
  }
  const pairs = Array.isArray(env) ? (env as readonly { name?: string; value?: string }[]) : []
  return {
    ...{ command, apiVersion },
    args: Array.isArray(args) ? args.map(String) : [],
    env: Object.fromEntries(pairs.map(({ name = '', value = '' }) => [name, value])),
    ...(typeof installHint === 'string' ? { installHint } : {}),
  }
}

/** Before the end of its time, a credential is asked for anew. */
const marginMs = 60_000

export interface AccessOptions {
  readonly clock: Clock
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Reaches a server with whatever its kubeconfig has. A run may outlast many credentials. */
export function connectAccess(access: ClusterAccess, { clock, environment }: AccessOptions): NodeTransport {
  const { exec, ...plain } = access
  if (exec === undefined) return createNodeTransport(plain)
  let current: { readonly transport: NodeTransport; readonly expiresMs: number } | undefined
  let asking: Promise<NodeTransport> | undefined
  const renew = async (): Promise<NodeTransport> => {
    const { expiresMs = Number.POSITIVE_INFINITY, ...credential } = await runPlugin(exec, environment)
    current?.transport.close()
    current = { transport: createNodeTransport({ ...plain, ...credential }), expiresMs }
    return current.transport
  }
  const transport = (): Promise<NodeTransport> | NodeTransport => {
    if (current && clock.wallMs() < current.expiresMs - marginMs) return current.transport
    // Many requests at once need one answer.
    asking ??= renew().finally(() => {
      asking = undefined
    })
    return asking
  }
  const send = async (request: HttpRequest): Promise<HttpResponse> => {
    const used = await transport()
    const response = await used(request)
    // Taken back before its time, perhaps; the next request asks for another.
    if (isUnauthorized(response) && current?.transport === used) current = undefined
    return response
  }
  return Object.assign(send, { close: () => current?.transport.close() })
}

async function runPlugin(
  { command, args, env, apiVersion, installHint }: ExecPlugin,
  environment: AccessOptions['environment'],
): Promise<Credential> {
  const question = { kind: 'ExecCredential', apiVersion, spec: { interactive: false } }
  const child = spawn(command, args, {
    env: { ...environment, ...env, KUBERNETES_EXEC_INFO: JSON.stringify(question) },
    // What it has to say to people goes to them.
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const failure = (why: string): CliError =>
    new CliError(
      `the credential plugin ${command} ${why}${installHint === undefined ? '' : `\n${installHint}`}`,
    )
  const code = await once(child, 'close').then(
    ([exitCode]) => exitCode as number | null,
    (error: { code?: string }) => {
      throw failure(`cannot be run (${error.code})`)
    },
  )
  if (code !== 0) throw failure(`ended with ${code}`)
  return credentialIn(said, failure)
}

function credentialIn(text: string, failure: (why: string) => CliError): Credential {
  let status: Readonly<Record<string, unknown>> | undefined
  try {
    status = (JSON.parse(text) as { status?: Readonly<Record<string, unknown>> }).status
  } catch {
    throw failure('did not answer with JSON')
  }
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status ?? {}
  const expiresMs = Date.parse(String(expirationTimestamp))
  if (typeof token !== 'string' && typeof cert !== 'string') throw failure('gave no credential')
  return {
    ...(typeof token === 'string' ? { token } : {}),
    ...(typeof cert === 'string' ? { cert } : {}),
    ...(typeof key === 'string' ? { key } : {}),
    ...(Number.isNaN(expiresMs) ? {} : { expiresMs }),
  }
}
