import { Agent } from 'node:https'
import { createSecureContext, type SecureContext } from 'node:tls'
import { OutboundError } from '../outbound.ts'

/** How the other side is verified. */
export interface TlsTrust {
  readonly ca?: string | undefined
  readonly serverName?: string | undefined
  readonly isUnverified?: boolean | undefined
}

/** The certificate that is shown to the other side. */
export interface TlsIdentity {
  readonly cert: string
  readonly key: string
}

/** So many different authorities and names are remembered with their connections; the one not used for longest goes. */
const maxAgents = 200
const maxFreeSockets = 16

/** Kept connections, shared by all requests that trust the same authority and ask for the same name. */
export class TlsAgents {
  #identity: TlsIdentity | undefined
  readonly #agents = new Map<string, Agent>()

  constructor(identity?: TlsIdentity) {
    this.#identity = identity
  }

  /** Further requests show another certificate. Those under way go on with the one they began with. */
  setIdentity(identity: TlsIdentity | undefined): void {
    this.#identity = identity
    for (const agent of this.#agents.values()) retire(agent)
    this.#agents.clear()
  }

  agentOf(trust: TlsTrust): Agent {
    const key = JSON.stringify([trust.ca ?? null, trust.serverName ?? null, trust.isUnverified ?? false])
    const agents = this.#agents
    const agent =
      agents.get(key) ??
      new Agent({ keepAlive: true, maxFreeSockets, scheduling: 'lifo', ...this.optionsOf(trust) })
    agents.delete(key)
    agents.set(key, agent)
    for (const [oldest, idle] of agents) {
      if (agents.size <= maxAgents) break
      agents.delete(oldest)
      retire(idle)
    }
    return agent
  }

  /** For a connection of its own. */
  optionsOf({ ca, serverName, isUnverified }: TlsTrust) {
    const isPlain = ca === undefined && this.#identity === undefined
    return {
      secureContext: isPlain ? undefined : contextOf(ca, this.#identity),
      servername: serverName,
      ...(isUnverified ? { rejectUnauthorized: false } : {}),
    }
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy()
    this.#agents.clear()
  }
}

/** Closes its idle connections, and each other one after its request. `destroy` would break off requests under way. */
function retire(agent: Agent): void {
  agent.maxFreeSockets = 0
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy()
  }
}

function contextOf(ca: string | undefined, identity: TlsIdentity | undefined): SecureContext {
  const noPem = 'unable to load root certificates: unable to parse bytes as PEM block'
  // Node ignores a text that is not a certificate, and would then trust no server.
  if (ca !== undefined && !ca.includes('-----BEGIN CERTIFICATE-----')) throw new OutboundError(noPem)
  try {
    return createSecureContext({
      ...(ca === undefined ? {} : { ca }),
      ...identity,
      // As Go does: a server may be trusted by its own certificate, such as envtest's for webhooks, or by an intermediate one.
      allowPartialTrustChain: true,
    })
  } catch (cause) {
    throw new OutboundError(noPem, { cause })
  }
}
