import type { AnyResourceDefinition } from '@strata/api'
import type { Client } from '@strata/client'
import type { ServerOptions } from '@strata/server'
import type { Log } from '@strata/world'
import type { ClusterTime } from './steered-clock.ts'

export interface TestUser {
  readonly name: string
  readonly groups?: readonly string[]
}

export interface ListenChoice {
  /** Default: a free port. */
  readonly port?: number
  /** Default: 127.0.0.1. */
  readonly host?: string
}

export interface TimeOptions {
  /** The time at the start. Default: now. */
  readonly startAt?: Date | string
  /** Time stands still until the test moves it. Default: it passes as usual. */
  readonly frozen?: boolean
}

export interface ClusterOptions {
  /** Files and folders with CRDs in YAML or JSON. They are served when `startCluster` resolves, and `reset` keeps them. */
  readonly crds?: string | readonly string[]
  /** Kinds made with `defineResource`. */
  readonly resources?: readonly AnyResourceDefinition[]
  /** Functions that convert custom resources between versions, by the name of the CRD, in place of a conversion webhook. */
  readonly conversions?: ServerOptions['conversions']
  /** Opens a socket, for clients that need a URL and a kubeconfig. Default: no socket. */
  readonly listen?: boolean | ListenChoice
  /**
   * The controllers that run in the process: names, `*` for all, `-name` for all but this one; false for none. Default: those
   * without which namespaces stay Terminating and owners leave their dependents behind.
   */
  readonly controllers?: boolean | readonly string[]
  /** Serves the built-in versions of that Kubernetes release, such as `1.30`, as far as Strata has them. Default: all. */
  readonly kubernetesVersion?: string
  /** The release of `resources` that is served. Default: the newest. */
  readonly release?: string
  readonly time?: TimeOptions
  /** Default: silent. */
  readonly log?: Log
}

/** Requests of one user. */
export interface RequestsAs {
  readonly client: Client
  /** As the global `fetch`, with a path in place of the URL: `/api/v1/namespaces`. */
  fetch(path: string, init?: RequestInit): Promise<Response>
}

/** One API server with its own store in memory. The requests of `client` and `fetch` are those of an administrator. */
export interface Cluster extends RequestsAs, AsyncDisposable {
  readonly time: ClusterTime
  /** The requests of another user, who has the rights that RBAC objects give. */
  as(user: TestUser): RequestsAs
  /** Server-side apply of manifests: YAML or JSON text, several documents and Lists included. CRDs are served when it resolves. */
  apply(manifests: string): Promise<void>
  /** Removes what was written since the start, and restores what was changed or deleted. Revisions go on. */
  reset(): Promise<void>
  stop(): Promise<void>
  /** The address, CA certificate, administrator's token and kubeconfig file. Undefined unless `listen` is set. */
  readonly endpoint: Endpoint | undefined
}

export interface Endpoint {
  readonly url: string
  readonly ca: string
  readonly token: string
  /** The path of the file. It is removed by `stop`. */
  readonly kubeconfig: string
}
