/** The messages of `v1`: upstream's field numbers. How to read it: `../message-table.ts`. */
export const coreV1 = `
ClientIPConfig: 1 timeoutSeconds int32?
ConfigMap: 1 metadata meta.ObjectMeta, 4 immutable bool?, 2 data {string}, 3 binaryData {bytes}
Event: 1 metadata meta.ObjectMeta, 2 involvedObject ObjectReference, 3 reason string, 4 message string,
  5 source EventSource, 6 firstTimestamp time, 7 lastTimestamp time, 8 count int32, 9 type string,
  10 eventTime microTime, 11 series EventSeries, 12 action string, 13 related ObjectReference,
  14 reportingComponent string!, 15 reportingInstance string!
EventSeries: 1 count int32, 2 lastObservedTime microTime
EventSource: 1 component string, 2 host string
LimitRange: 1 metadata meta.ObjectMeta, 2 spec LimitRangeSpec
LimitRangeItem: 1 type string!, 2 max {quantity}, 3 min {quantity}, 4 default {quantity},
  5 defaultRequest {quantity}, 6 maxLimitRequestRatio {quantity}
LimitRangeSpec: 1 limits [LimitRangeItem]
LoadBalancerIngress: 1 ip string, 2 hostname string, 3 ipMode string?, 4 ports [PortStatus]
LoadBalancerStatus: 1 ingress [LoadBalancerIngress]
LocalObjectReference: 1 name string
Namespace: 1 metadata meta.ObjectMeta, 2 spec NamespaceSpec, 3 status NamespaceStatus
NamespaceCondition: 1 type string!, 2 status string!, 4 lastTransitionTime time, 5 reason string,
  6 message string
NamespaceSpec: 1 finalizers [string]
NamespaceStatus: 1 phase string, 2 conditions [NamespaceCondition]
ObjectReference: 1 kind string, 2 namespace string, 3 name string, 4 uid string, 5 apiVersion string,
  6 resourceVersion string, 7 fieldPath string
PortStatus: 1 port int32!, 2 protocol string!, 3 error string?
ResourceQuota: 1 metadata meta.ObjectMeta, 2 spec ResourceQuotaSpec, 3 status ResourceQuotaStatus
ResourceQuotaSpec: 1 hard {quantity}, 2 scopes [string], 3 scopeSelector ScopeSelector
ResourceQuotaStatus: 1 hard {quantity}, 2 used {quantity}
ScopeSelector: 1 matchExpressions [ScopedResourceSelectorRequirement]
ScopedResourceSelectorRequirement: 1 scopeName string!, 2 operator string!, 3 values [string]
Secret: 1 metadata meta.ObjectMeta, 5 immutable bool?, 2 data {bytes}, 4 stringData {string}, 3 type string
Service: 1 metadata meta.ObjectMeta, 2 spec ServiceSpec, 3 status ServiceStatus
ServiceAccount: 1 metadata meta.ObjectMeta, 2 secrets [ObjectReference],
  3 imagePullSecrets [LocalObjectReference], 4 automountServiceAccountToken bool?
ServicePort: 1 name string, 2 protocol string, 6 appProtocol string?, 3 port int32!, 4 targetPort intOrString,
  5 nodePort int32
ServiceSpec: 1 ports [ServicePort], 2 selector {string}, 3 clusterIP string, 18 clusterIPs [string],
  4 type string, 5 externalIPs [string], 7 sessionAffinity string, 8 loadBalancerIP string,
  9 loadBalancerSourceRanges [string], 10 externalName string, 11 externalTrafficPolicy string,
  12 healthCheckNodePort int32, 13 publishNotReadyAddresses bool,
  14 sessionAffinityConfig SessionAffinityConfig, 19 ipFamilies [string], 17 ipFamilyPolicy string?,
  20 allocateLoadBalancerNodePorts bool?, 21 loadBalancerClass string?, 22 internalTrafficPolicy string?,
  23 trafficDistribution string?
ServiceStatus: 1 loadBalancer LoadBalancerStatus, 2 conditions [meta.Condition]
SessionAffinityConfig: 1 clientIP ClientIPConfig
`
