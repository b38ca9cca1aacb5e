import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { isUnauthorized } from '@strata/client'
import type { Clock, HttpRequest, HttpResponse } from '@strata/world'
import { createNodeTransport, type NodeTransport } from '@strata/world/node'
import { CliError } from '../output/errors.ts'
import type { ClusterAccess } from './kubeconfig.ts'
import { withTokenFile } from './token-file.ts'
import { transportOptions } from './transport-options.ts'

/** A credential plugin, as cloud providers have them (users[].user.exec). */
export interface ExecPlugin {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly apiVersion: string
  readonly installHint?: string | undefined
  /** Whether the plugin asks the user: it then needs the terminal. */
  readonly interactiveMode?: 'Never' | 'IfAvailable' | 'Always' | undefined
  /** With `provideClusterInfo`: what the plugin is told about the cluster. */
  readonly cluster?: Readonly<Record<string, unknown>> | undefined
}

interface Credential {
  readonly token?: string
  readonly cert?: string
  readonly key?: string
  /** By the wall clock, as the plugin wrote it. */
  readonly expiresMs?: number
}

const apiVersions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']

/** Reads a plugin from the kubeconfig. Errors name the missing field and its place. */
export function parsePlugin(
  exec: unknown,
  where: string,
  cluster: Readonly<Record<string, unknown>> = {},
): ExecPlugin {
  const { command, args, env, apiVersion, installHint, ...rest } = (exec ?? {}) as Readonly<
    Record<string, unknown>
  >
  const { interactiveMode, provideClusterInfo } = rest
  if (typeof command !== 'string' || command === '')
    throw new CliError(`${where}.exec.command is missing: name the credential plugin`)
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
    installHint: typeof installHint === 'string' ? installHint : undefined,
    interactiveMode: interactiveModes.find((each) => each === interactiveMode),
    cluster: provideClusterInfo === true ? clusterInfo(cluster) : undefined,
  }
}

const interactiveModes = ['Never', 'IfAvailable', 'Always'] as const

/** The fields of ExecCredential's spec.cluster. `config` is the extension that the plugin's documentation asks for. */
function clusterInfo({ extensions, ...fields }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const named = Array.isArray(extensions) ? (extensions as readonly Record<string, unknown>[]) : []
  const config = named.find(({ name }) => name === 'client.authentication.k8s.io/exec')?.['extension']
  const passed = [
    'server',
    'tls-server-name',
    'insecure-skip-tls-verify',
    'certificate-authority-data',
    'proxy-url',
  ]
  return {
    ...Object.fromEntries(passed.flatMap((name) => (name in fields ? [[name, fields[name]]] : []))),
    ...(config === undefined ? {} : { config }),
  }
}

/** A credential is renewed so long before it expires. */
const marginMs = 60_000

export interface AccessOptions {
  readonly clock: Clock
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Standard input is a terminal: a plugin may ask the user. */
  readonly canAsk?: boolean | undefined
}

/** Connects with the credentials of the kubeconfig, and renews those of a plugin: a run may outlast many of them. */
export function connectAccess(access: ClusterAccess, options: AccessOptions): NodeTransport {
  const { clock, environment } = options
  const { exec, tokenFile } = access
  const plain = transportOptions(access, environment)
  if (exec === undefined) {
    const transport = createNodeTransport(plain)
    return tokenFile === undefined ? transport : withTokenFile(transport, tokenFile, access.token, clock)
  }
  let current: { readonly transport: NodeTransport; readonly expiresMs: number } | undefined
  let renewal: Promise<NodeTransport> | undefined
  const renew = async (): Promise<NodeTransport> => {
    const { expiresMs = Number.POSITIVE_INFINITY, ...credential } = await runPlugin(exec, options)
    current?.transport.close()
    current = { transport: createNodeTransport({ ...plain, ...credential }), expiresMs }
    return current.transport
  }
  const transport = (): Promise<NodeTransport> | NodeTransport => {
    if (current && clock.wallMs() < current.expiresMs - marginMs) return current.transport
    // Concurrent requests share one run of the plugin.
    renewal ??= renew().finally(() => {
      renewal = undefined
    })
    return renewal
  }
  const send = async (request: HttpRequest): Promise<HttpResponse> => {
    const used = await transport()
    const response = await used(request)
    // The credential may have been revoked early; the next request renews it.
    if (isUnauthorized(response) && current?.transport === used) current = undefined
    return response
  }
  return Object.assign(send, { close: () => current?.transport.close() })
}

async function runPlugin(
  { command, args, env, apiVersion, installHint, interactiveMode, cluster }: ExecPlugin,
  { environment, canAsk = false }: AccessOptions,
): Promise<Credential> {
  const interactive = canAsk && interactiveMode !== undefined && interactiveMode !== 'Never'
  if (interactiveMode === 'Always' && !interactive)
    throw new CliError(`the credential plugin ${command} asks the user, and standard input is no terminal`)
  const spec = { interactive, ...(cluster === undefined ? {} : { cluster }) }
  const request = { kind: 'ExecCredential', apiVersion, spec }
  const child = spawn(command, args, {
    env: { ...environment, ...env, KUBERNETES_EXEC_INFO: JSON.stringify(request) },
    // Its messages for the user go to stderr.
    stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
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
  if (code !== 0) throw failure(`ended with exit code ${code}`)
  return credentialIn(output, failure)
}

function credentialIn(text: string, failure: (why: string) => CliError): Credential {
  let status: Readonly<Record<string, unknown>> | undefined
  try {
    status = (JSON.parse(text) as { status?: Readonly<Record<string, unknown>> }).status
  } catch {
    throw failure('did not print JSON')
  }
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status ?? {}
  const expiresMs = Date.parse(String(expirationTimestamp))
  if (typeof token !== 'string' && typeof cert !== 'string')
    throw failure('returned no token and no certificate')
  return {
    ...(typeof token === 'string' ? { token } : {}),
    ...(typeof cert === 'string' ? { cert } : {}),
    ...(typeof key === 'string' ? { key } : {}),
    ...(Number.isNaN(expiresMs) ? {} : { expiresMs }),
  }
}
