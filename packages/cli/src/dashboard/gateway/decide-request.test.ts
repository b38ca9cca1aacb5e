import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decideRequest, type RequestFacts } from './decide-request.ts'

/** What the page sends when a user has signed in. */
const fromPage: RequestFacts = {
  method: 'GET',
  target: '/api/v1/namespaces',
  host: '127.0.0.1:6480',
  origin: undefined,
  fetchSite: 'same-origin',
  fetchMode: 'cors',
  isSignedIn: true,
  allowWrites: false,
  hasPlayground: false,
}
const post = { method: 'POST', origin: 'http://127.0.0.1:6480' }
const page = { target: '/dashboard/', isSignedIn: false, fetchMode: 'navigate', fetchSite: 'none' }
const beacon = '/apis/lighthouse.example.dev/v1/namespaces/default/beacons/one'
const review = (name: string): string => `/apis/authorization.k8s.io/v1/${name}`

type Case = readonly [name: string, facts: Partial<RequestFacts>, want: string]

const groups: Readonly<Record<string, readonly Case[]>> = {
  host: [
    ['the page itself', {}, 'api'],
    ['localhost', { host: 'localhost:6480' }, 'api'],
    ['the IPv6 loopback, forwarded', { host: '[::1]:8080' }, 'api'],
    ['another port, which a tunnel forwards', { host: '127.0.0.1:9000' }, 'api'],
    ['no port', { host: 'localhost' }, 'api'],
    ['a name that was pointed here (DNS rebinding)', { host: 'evil.example:6480' }, 'WrongHost'],
    ['a name that begins like ours', { host: '127.0.0.1.evil.example' }, 'WrongHost'],
    ['a name that ends like ours', { host: 'evil-localhost' }, 'WrongHost'],
    ['a subdomain of localhost', { host: 'a.localhost:6480' }, 'WrongHost'],
    ['another address of this machine', { host: '192.0.2.1:6480' }, 'WrongHost'],
    ['a loopback address that only looks alike', { host: '127.1:6480' }, 'WrongHost'],
    ['a user in front', { host: 'x@127.0.0.1:6480' }, 'WrongHost'],
    ['none', { host: undefined }, 'WrongHost'],
    ['files are for the right host only, too', { ...page, host: 'evil.example' }, 'WrongHost'],
    ['so is a sign-in', { ...post, target: '/dashboard/session', host: 'evil.example' }, 'WrongHost'],
  ],
  origin: [
    ['a program without an origin', { fetchSite: undefined, fetchMode: undefined }, 'api'],
    ['the own origin', { origin: 'http://127.0.0.1:6480' }, 'api'],
    ['the own origin under the name localhost', { host: 'localhost:1', origin: 'http://localhost:1' }, 'api'],
    ['another name for the same address', { origin: 'http://localhost:6480' }, 'OtherOrigin'],
    ['another program on this machine', { origin: 'http://127.0.0.1:3000' }, 'OtherOrigin'],
    ['another site', { origin: 'https://evil.example' }, 'OtherOrigin'],
    ['a file or a sandboxed frame', { origin: 'null' }, 'OtherOrigin'],
    ['https where there is none', { origin: 'https://127.0.0.1:6480' }, 'OtherOrigin'],
    ['another site that sends no origin', { fetchSite: 'cross-site' }, 'OtherOrigin'],
    ['another port of this machine that sends no origin', { fetchSite: 'same-site' }, 'OtherOrigin'],
    ['a navigation to data', { fetchSite: 'cross-site', fetchMode: 'navigate' }, 'OtherOrigin'],
    ['a link of another site to the page', { ...page, fetchSite: 'cross-site' }, 'file'],
    [
      'another site that loads a file as a script',
      { ...page, fetchSite: 'cross-site', fetchMode: 'no-cors' },
      'OtherOrigin',
    ],
    [
      'another site that signs in',
      { ...post, target: '/dashboard/session', origin: 'https://evil.example' },
      'OtherOrigin',
    ],
    [
      'another site that asks for a link',
      { ...post, target: '/dashboard/link', origin: 'https://evil.example' },
      'OtherOrigin',
    ],
    [
      'a question before a request of another origin',
      { method: 'OPTIONS', origin: 'https://evil.example' },
      'OtherOrigin',
    ],
  ],
  'without a session': [
    ['the page', page, 'file'],
    ['a view', { ...page, target: '/dashboard/agreement/beacons?at=1' }, 'file'],
    [
      'a file',
      { ...page, target: '/dashboard/assets/main.js', fetchMode: 'cors', fetchSite: 'same-origin' },
      'file',
    ],
    ['its head', { ...page, method: 'HEAD' }, 'file'],
    ['a form sent to the page', { ...page, method: 'POST' }, 'MethodNotAllowed'],
    ['a sign-in', { ...post, target: '/dashboard/session', isSignedIn: false }, 'session'],
    ['whether there is a session', { target: '/dashboard/session', isSignedIn: false }, 'session'],
    ['another method', { ...post, method: 'PUT', target: '/dashboard/session' }, 'MethodNotAllowed'],
    ['another link for the terminal', { ...post, target: '/dashboard/link', isSignedIn: false }, 'link'],
    ['a link by navigation', { target: '/dashboard/link', isSignedIn: false }, 'MethodNotAllowed'],
    ['data', { isSignedIn: false }, 'NotSignedIn'],
    ['the version', { target: '/version', isSignedIn: false }, 'NotSignedIn'],
    ['watches', { ...post, target: '/dashboard/watches', isSignedIn: false }, 'NotSignedIn'],
    [
      'the playground',
      { target: '/playground/v1/fleet', hasPlayground: true, isSignedIn: false },
      'NotSignedIn',
    ],
  ],
  path: [
    ['discovery', { target: '/apis' }, 'api'],
    ['OpenAPI', { target: '/openapi/v3?timeout=1' }, 'api'],
    ['the version', { target: '/version' }, 'api'],
    [
      'an object with an escaped name',
      { target: '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode' },
      'api',
    ],
    ['the root', { target: '/' }, 'NotFound'],
    ['metrics', { target: '/metrics' }, 'NotFound'],
    ['logs of the server', { target: '/logs/' }, 'NotFound'],
    ['a name that begins alike', { target: '/apiserver' }, 'NotFound'],
    ['a step up', { target: '/api/../metrics' }, 'NotFound'],
    ['an escaped step up', { target: '/api/%2e%2e/metrics' }, 'NotFound'],
    ['half escaped', { target: '/api/.%2E/metrics' }, 'NotFound'],
    ['an escaped slash', { target: '/api/v1%2f..%2f..%2fmetrics' }, 'NotFound'],
    ['a backslash', { target: '/api/v1/..\\..\\metrics' }, 'NotFound'],
    ['an empty part', { target: '/api//v1/namespaces' }, 'NotFound'],
    ['another host in the path', { target: '//evil.example/api' }, 'NotFound'],
    ['a whole address', { target: 'http://evil.example/api' }, 'NotFound'],
    ['an escape of an escape', { target: '/api/v1/secret%2573' }, 'NotFound'],
    ['a broken escape', { target: '/api/v1/%zz' }, 'NotFound'],
    ['a fragment', { target: '/api/v1/namespaces#/secrets' }, 'NotFound'],
    ['a null byte', { target: '/api/v1/a%00b' }, 'NotFound'],
    ['a line break', { target: '/api/v1/a%0d%0ab' }, 'NotFound'],
    ['all of the server', { method: 'OPTIONS', target: '*' }, 'NotFound'],
  ],
  'read-only': [
    ['an object', { target: beacon }, 'api'],
    ['a watch', { target: `${beacon}?watch=1` }, 'api'],
    ['its head', { method: 'HEAD', target: beacon }, 'api'],
    ['a creation', { ...post, target: '/api/v1/namespaces' }, 'ReadOnly'],
    ['a dry run may call webhooks', { ...post, target: '/api/v1/namespaces?dryRun=All' }, 'ReadOnly'],
    ['an update', { ...post, method: 'PUT', target: beacon }, 'ReadOnly'],
    ['a patch', { ...post, method: 'PATCH', target: beacon }, 'ReadOnly'],
    ['a deletion', { ...post, method: 'DELETE', target: beacon }, 'ReadOnly'],
    ['of a whole kind', { ...post, method: 'DELETE', target: '/api/v1/namespaces/a/configmaps' }, 'ReadOnly'],
    ['an unknown method', { ...post, method: 'PROPFIND', target: beacon }, 'MethodNotAllowed'],
    ['a tunnel', { method: 'CONNECT', target: beacon }, 'MethodNotAllowed'],
    ['may I?', { ...post, target: review('selfsubjectaccessreviews') }, 'api'],
    ['what may I?', { ...post, target: review('selfsubjectrulesreviews') }, 'api'],
    ['who am I?', { ...post, target: '/apis/authentication.k8s.io/v1/selfsubjectreviews' }, 'api'],
    ['can I upgrade?', { ...post, target: '/apis/strata.dev/v1alpha1/upgradereviews' }, 'api'],
    ['what is stored?', { ...post, target: '/apis/strata.dev/v1alpha1/storagecensuses' }, 'api'],
    [
      'what does an aggregated server store?',
      { ...post, target: '/apis/shop.example.dev/v1/storagecensuses' },
      'api',
    ],
    ['what may others?', { ...post, target: review('subjectaccessreviews') }, 'ReadOnly'],
    [
      'another method on a review',
      { ...post, method: 'DELETE', target: review('selfsubjectaccessreviews') },
      'ReadOnly',
    ],
    ['a review of another group', { ...post, target: '/apis/a.example.dev/v1/upgradereviews' }, 'ReadOnly'],
    ['an object named like a review', { ...post, target: '/api/v1/namespaces/storagecensuses' }, 'ReadOnly'],
    ['a core resource named like a review', { ...post, target: '/api/v1/storagecensuses' }, 'ReadOnly'],
    ['below a review', { ...post, target: '/apis/strata.dev/v1alpha1/storagecensuses/a/status' }, 'ReadOnly'],
    ['a re-encode writes', { ...post, target: '/apis/strata.dev/v1alpha1/storagereencodes' }, 'ReadOnly'],
    ['a group that is named like a property', { ...post, target: '/apis/constructor/v1/name' }, 'ReadOnly'],
    ['an eviction', { ...post, target: '/api/v1/namespaces/a/pods/b/eviction' }, 'ReadOnly'],
  ],
  'with --allow-writes': [
    ['a creation', { ...post, target: '/api/v1/namespaces', allowWrites: true }, 'api'],
    ['a patch', { ...post, method: 'PATCH', target: beacon, allowWrites: true }, 'api'],
    ['a deletion', { ...post, method: 'DELETE', target: beacon, allowWrites: true }, 'api'],
    [
      'from another origin',
      { ...post, target: beacon, allowWrites: true, origin: 'https://evil.example' },
      'OtherOrigin',
    ],
    ['without a session', { ...post, target: beacon, allowWrites: true, isSignedIn: false }, 'NotSignedIn'],
    [
      'an unknown method',
      { ...post, method: 'TRACE', target: beacon, allowWrites: true },
      'MethodNotAllowed',
    ],
  ],
  'connections to the inside': [
    ['a shell', { target: '/api/v1/namespaces/a/pods/b/exec?command=sh', allowWrites: true }, 'NotPassedOn'],
    ['a terminal', { target: '/api/v1/namespaces/a/pods/b/attach' }, 'NotPassedOn'],
    ['a port', { target: '/api/v1/namespaces/a/pods/b/portforward' }, 'NotPassedOn'],
    ['a service', { target: '/api/v1/namespaces/a/services/b:80/proxy/x' }, 'NotPassedOn'],
    ['a pod', { target: '/api/v1/namespaces/a/pods/b/proxy' }, 'NotPassedOn'],
    ['a node', { target: '/api/v1/nodes/a/proxy/logs/' }, 'NotPassedOn'],
    ['by an escaped name', { target: '/api/v1/nodes/a/pr%6fxy/logs' }, 'NotPassedOn'],
    ['in the form of Kubernetes before 1.10', { target: '/api/v1/proxy/nodes/a/logs' }, 'NotPassedOn'],
    ['in the deprecated form of a watch', { target: '/api/v1/watch/nodes/a/proxy' }, 'NotPassedOn'],
  ],
  Secrets: [
    ['a list', { target: '/api/v1/secrets' }, 'Secrets'],
    ['one', { target: '/api/v1/namespaces/a/secrets/b' }, 'Secrets'],
    ['a watch', { target: '/api/v1/watch/namespaces/a/secrets' }, 'Secrets'],
    ['by an escaped name', { target: '/api/v1/secret%73' }, 'Secrets'],
    [
      'a write, whose answer has the contents',
      { ...post, method: 'PATCH', target: '/api/v1/namespaces/a/secrets/b', allowWrites: true },
      'Secrets',
    ],
    [
      'a deletion, likewise',
      { ...post, method: 'DELETE', target: '/api/v1/namespaces/a/secrets', allowWrites: true },
      'Secrets',
    ],
    [
      'a token',
      { ...post, target: '/api/v1/namespaces/a/serviceaccounts/b/token', allowWrites: true },
      'Secrets',
    ],
    ['service accounts have none', { target: '/api/v1/namespaces/a/serviceaccounts/b' }, 'api'],
    ['custom resources of that name', { target: '/apis/a.example.dev/v1/secrets' }, 'api'],
  ],
  'watches together': [
    ['asked by the page', { ...post, target: '/dashboard/watches' }, 'watches'],
    ['by another method', { target: '/dashboard/watches' }, 'MethodNotAllowed'],
  ],
  rehearsals: [
    ['the examples', { target: '/rehearsals' }, 'rehearsals'],
    ['one that is played, also read-only', { ...post, target: '/rehearsals' }, 'rehearsals'],
    ['without a session', { ...post, target: '/rehearsals', isSignedIn: false }, 'NotSignedIn'],
    [
      'of a page elsewhere',
      { ...post, target: '/rehearsals', origin: 'https://evil.example' },
      'OtherOrigin',
    ],
    ['by another method', { ...post, method: 'PUT', target: '/rehearsals' }, 'MethodNotAllowed'],
  ],
  playground: [
    ['there is none', { target: '/playground/v1/fleet' }, 'NotFound'],
    ['its state', { target: '/playground/v1/fleet?watch=1', hasPlayground: true }, 'playground'],
    [
      'an action',
      { ...post, target: '/playground/v1/actions', hasPlayground: true, allowWrites: true },
      'playground',
    ],
    ['an action, read-only', { ...post, target: '/playground/v1/actions', hasPlayground: true }, 'ReadOnly'],
    [
      'another method',
      { ...post, method: 'PUT', target: '/playground/v1/actions', hasPlayground: true, allowWrites: true },
      'MethodNotAllowed',
    ],
  ],
}

for (const [group, cases] of Object.entries(groups)) {
  describe(`the gateway decides: ${group}`, () => {
    for (const [name, facts, want] of cases) {
      test(`${name}: ${want}`, () => {
        const decision = decideRequest({ ...fromPage, ...facts })
        assert.equal('deny' in decision ? decision.deny : decision.allow, want)
      })
    }
  })
}
