import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'

/** Contents of PEM files. `cert` and `key` identify this client; `ca` verifies etcd. */
export interface EtcdTls {
  readonly ca?: string | Uint8Array | undefined
  readonly cert?: string | Uint8Array | undefined
  readonly key?: string | Uint8Array | undefined
}

/**
 * The socket below an HTTP/2 session. We open it ourselves because of failures: when a TLS peer refuses our certificate, Node
 * silently destroys the session and leaves the socket open. So errors are handled here, and the socket is always destroyed after
 * one.
 */
export function openSocket(
  endpoint: string,
  tls: EtcdTls | undefined,
  onError: (error: Error) => void,
): Socket {
  const { protocol, hostname, port } = new URL(endpoint)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const socket =
    protocol === 'https:'
      ? connectTls({
          ...(tls as ConnectionOptions | undefined),
          // As etcd's own client does: any certificate in the file is trusted, not only one that has signed itself.
          allowPartialTrustChain: true,
          host,
          port: Number(port || 443),
          ALPNProtocols: ['h2'],
          // An IP address is not valid for the server name indication.
          ...(isIP(host) === 0 && { servername: host }),
        })
      : connectTcp({ host, port: Number(port || 80) })
  socket.setNoDelay(true)
  socket.on('error', (error) => {
    onError(error)
    socket.destroy()
  })
  return socket
}
