/**
 * Which of this server's authorities a client certificate chains to. `request-header`: the certificate names a front proxy,
 * and no user. `both`: the same authority signs users and front proxies.
 */
export type PeerAnchor = 'none' | 'client' | 'request-header' | 'both'

/** Whether the name in the certificate is the name of a user. */
export const isClientAnchor = (anchor: PeerAnchor): boolean => anchor === 'client' || anchor === 'both'

/** Whether the certificate may be that of a front proxy; its name decides. */
export const isProxyAnchor = (anchor: PeerAnchor): boolean => anchor === 'request-header' || anchor === 'both'
