/** The messages of `networking.k8s.io/v1`: upstream's field numbers. How to read it: `../message-table.ts`. */
export const networkingV1 = `
HTTPIngressPath: 1 path string, 3 pathType string?, 2 backend IngressBackend
HTTPIngressRuleValue: 1 paths [HTTPIngressPath]
Ingress: 1 metadata meta.ObjectMeta, 2 spec IngressSpec, 3 status IngressStatus
IngressBackend: 4 service IngressServiceBackend, 3 resource core.TypedLocalObjectReference
IngressLoadBalancerIngress: 1 ip string, 2 hostname string, 4 ports [IngressPortStatus]
IngressLoadBalancerStatus: 1 ingress [IngressLoadBalancerIngress]
IngressPortStatus: 1 port int32!, 2 protocol string!, 3 error string?
IngressRule: 1 host string, 2 ^ IngressRuleValue
IngressRuleValue: 1 http HTTPIngressRuleValue
IngressServiceBackend: 1 name string!, 2 port ServiceBackendPort
IngressSpec: 4 ingressClassName string?, 1 defaultBackend IngressBackend, 2 tls [IngressTLS],
  3 rules [IngressRule]
IngressStatus: 1 loadBalancer IngressLoadBalancerStatus
IngressTLS: 1 hosts [string], 2 secretName string
ServiceBackendPort: 1 name string, 2 number int32
`
