import java.io.StringReader;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.message.BasicHeader;
import org.opensearch.client.json.JsonData;
import org.opensearch.client.opensearch.OpenSearchClient;
import org.opensearch.client.opensearch._types.HealthStatus;
import org.opensearch.client.opensearch._types.FieldValue;
import org.opensearch.client.opensearch._types.Refresh;
import org.opensearch.client.opensearch._types.query_dsl.Query;
import org.opensearch.client.opensearch.core.BulkRequest;
import org.opensearch.client.opensearch.indices.IndexVersioning;
import org.opensearch.client.transport.httpclient5.ApacheHttpClient5TransportBuilder;

/** The official client of Java. */
public final class Main {
  private static final String INDEX = System.getenv("INDEX");
  private static final List<Float> FIRST = List.of(1f, 2f);

  private static void step(String name, Callable<Object> action) {
    String outcome;
    try {
      outcome = "\"got\":" + quoted(String.valueOf(action.call()));
    } catch (Exception error) {
      outcome = "\"error\":" + quoted(error.getClass().getSimpleName() + ": " + error.getMessage());
    }
    System.out.println("{\"step\":\"" + name + "\"," + outcome + "}");
  }

  private static String quoted(String text) {
    var escaped = text.replace("\\", "\\\\").replace("\"", "\\\"").replaceAll("\\p{Cntrl}", " ");
    return '"' + escaped.substring(0, Math.min(600, escaped.length())) + '"';
  }

  private static Object found(OpenSearchClient client, Query query) throws Exception {
    var hits = client.search(search -> search.index(INDEX).size(1).query(query), Map.class).hits().hits();
    if (hits.size() != 1) throw new IllegalStateException("found " + hits.size() + " documents");
    return hits.get(0).id();
  }

  public static void main(String[] arguments) throws Exception {
    var url = URI.create(System.getenv("URL"));
    var builder = ApacheHttpClient5TransportBuilder.builder(new HttpHost(url.getScheme(), url.getHost(), url.getPort()));
    if (!url.getPath().isEmpty()) builder.setPathPrefix(url.getPath());
    builder.setDefaultHeaders(new Header[] {new BasicHeader("x-api-key", System.getenv("KEY"))});
    var client = new OpenSearchClient(builder.build());

    step("create", () -> {
      client.indices().create(create -> create
          .index(INDEX)
          .settings(settings -> settings.knn(true).numberOfReplicas(0))
          .mappings(mappings -> mappings
              .properties("text", text -> text.text(field -> field))
              .properties("embedding", embedding -> embedding.knnVector(field -> field
                  .dimension(2)
                  .method(method -> method.name("hnsw").engine("lucene").spaceType("l2"))))));
      client.cluster().health(health -> health.index(INDEX).waitForStatus(HealthStatus.Yellow));
      client.cat().indices(cat -> cat.index(INDEX));
      return client.indices().exists(exists -> exists.index(INDEX)).value();
    });
    step("write", () -> {
      var bulk = new BulkRequest.Builder().refresh(Refresh.True);
      bulk.operations(one -> one.index(write -> write
          .index(INDEX).id("0").document(Map.of("text", "a river at night", "embedding", FIRST))));
      bulk.operations(one -> one.index(write -> write
          .index(INDEX).id("1").document(Map.of("text", "the quiet mountain", "embedding", List.of(7f, 8f)))));
      var answer = client.bulk(bulk.build());
      if (answer.errors()) throw new IllegalStateException("the bulk call has errors");
      client.update(update -> update.index(INDEX).id("1").doc(Map.of("page", 1)), Map.class);
      return answer.items().size();
    });
    step("read", () -> {
      var version = client.info().version().number();
      var document = client.get(get -> get.index(INDEX).id("0"), Map.class);
      return version + " " + document.found() + " " + client.count(count -> count.index(INDEX)).count();
    });
    step("keyword", () -> found(client, Query.of(query -> query
        .match(match -> match.field("text").query(FieldValue.of("river"))))));
    step("vector", () -> found(client, Query.of(query -> query
        .knn(knn -> knn.field("embedding").vector(FIRST).k(1)))));
    step("recreate", () -> {
      var kept = client.indices().get(get -> get.index(INDEX)).get(INDEX);
      client.indices().delete(delete -> delete.index(INDEX));
      // Clears what the cluster sets itself, as every program must.
      var settings = kept.settings().index().toBuilder()
          .uuid(null).creationDate(null).providedName(null).version((IndexVersioning) null).build();
      return client.indices().create(create -> create
          .index(INDEX).settings(all -> all.index(settings)).mappings(kept.mappings())).acknowledged();
    });
    step("delete", () -> {
      client.index(write -> write.index(INDEX).id("0").document(Map.of("text", "river")).refresh(Refresh.True));
      client.delete(delete -> delete.index(INDEX).id("0").refresh(Refresh.True));
      client.deleteByQuery(delete -> delete.index(INDEX).query(query -> query.matchAll(all -> all)));
      return client.indices().delete(delete -> delete.index(INDEX)).acknowledged();
    });
    System.exit(0);
  }
}
