import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Needs nothing but a JDK: java LampTest.java. With JUnit, start the server in @BeforeAll; with the client of fabric8 or the official
 * one, read the file that "kubeconfig" names.
 */
final class LampTest {
    private static final String LAMPS = "/apis/light.example.dev/v1/namespaces/default/lamps";

    /** One API server for all tests. It ends with this process, however that ends. */
    private record Cluster(Process server, URI url, String token, HttpClient http) implements AutoCloseable {
        static Cluster start(String crds) throws Exception {
            List<String> command = new ArrayList<>(words(System.getenv().getOrDefault("STRATA", "strata")));
            command.addAll(List.of("testenv", "--crds", crds));
            Process server = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            // Null if it could not start; the reason is then on standard error.
            String ready = server.inputReader().readLine();
            if (ready == null) throw new IOException("strata testenv did not start");
            HttpClient http = HttpClient.newBuilder().sslContext(trusting(field(ready, "ca"))).build();
            return new Cluster(server, URI.create(field(ready, "url")), field(ready, "token"), http);
        }

        HttpResponse<String> send(String method, String path, String body) throws IOException, InterruptedException {
            HttpRequest request = HttpRequest.newBuilder(url.resolve(path))
                    .header("authorization", "Bearer " + token)
                    .header("content-type", "application/json")
                    .method(method, HttpRequest.BodyPublishers.ofString(body))
                    .build();
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        }

        @Override
        public void close() {
            server.destroy();
        }
    }

    private static SSLContext trusting(String ca) throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        byte[] pem = ca.getBytes(StandardCharsets.US_ASCII);
        store.setCertificateEntry("strata", CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(pem)));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    /** A text of the JSON line; a JSON library does it better, if the project has one. */
    private static String field(String json, String name) throws IOException {
        Matcher found = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
        if (!found.find()) throw new IOException("no " + name + " in " + json);
        return found.group(1).replace("\\n", "\n");
    }

    /** As a shell splits them. */
    private static List<String> words(String command) {
        return Pattern.compile("\"([^\"]*)\"|(\\S+)").matcher(command).results()
                .map(each -> each.group(1) == null ? each.group(2) : each.group(1))
                .toList();
    }

    private static String lamp(String name, int brightness) {
        return """
                {"apiVersion": "light.example.dev/v1", "kind": "Lamp", "metadata": {"name": "%s"},
                 "spec": {"colour": "red", "brightness": %d}}""".formatted(name, brightness);
    }

    private static void aLampIsStored(Cluster cluster) throws Exception {
        expect(201, cluster.send("POST", LAMPS, lamp("desk", 80)), "");
        expect(200, cluster.send("GET", LAMPS + "/desk", ""), "\"brightness\":80");
        expect(200, cluster.send("DELETE", LAMPS + "/desk", ""), "");
    }

    private static void aLampCannotBeBrighterThan100(Cluster cluster) throws Exception {
        expect(422, cluster.send("POST", LAMPS, lamp("bright", 101)), "spec.brightness");
        expect(404, cluster.send("GET", LAMPS + "/bright", ""), "");
    }

    private static void expect(int status, HttpResponse<String> answer, String part) {
        if (answer.statusCode() == status && answer.body().contains(part)) return;
        throw new AssertionError("want " + status + " with \"" + part + "\", got " + answer.statusCode() + " " + answer.body());
    }

    public static void main(String[] arguments) throws Exception {
        String crds = arguments.length > 0 ? arguments[0] : "../../lamps/crd-v1.yaml";
        try (Cluster cluster = Cluster.start(crds)) {
            aLampIsStored(cluster);
            aLampCannotBeBrighterThan100(cluster);
        }
        System.out.println("2 passed");
    }
}
