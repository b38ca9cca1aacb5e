import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'
import type { Network, Place } from './network.ts'

interface Link {
  readonly from: Place
  readonly to: Place
  readonly proxy: TcpProxy
}

/** Without root: everything is on the loopback, with a proxy of our own in each connection that can be cut. */
export function createLoopback(): Network {
  const links = new Map<string, Link>()
  const cuts = new Set<string>()
  const apply = (): void => {
    for (const { from, to, proxy } of links.values()) {
      const isRequestCut = cuts.has(`${from}>${to}`)
      const isAnswerCut = cuts.has(`${to}>${from}`)
      if (!isRequestCut && !isAnswerCut) proxy.resume()
      if (isRequestCut) proxy.pauseRequests()
      if (isAnswerCut) proxy.pauseAnswers()
    }
  }
  return {
    kind: 'loopback',
    cutsPeers: false,
    hostOf: () => '127.0.0.1',
    commandAt: () => [],
    async reach(from, to, port) {
      const name = `${from}>${to}:${port}`
      const link = links.get(name) ?? { from, to, proxy: await startTcpProxy(port) }
      links.set(name, link)
      return `127.0.0.1:${link.proxy.port}`
    },
    async cut(from, to) {
      cuts.add(`${from}>${to}`)
      apply()
    },
    async heal(from, to) {
      cuts.delete(`${from}>${to}`)
      apply()
    },
    async close() {
      await Promise.all([...links.values()].map(({ proxy }) => proxy.close()))
    },
  }
}
