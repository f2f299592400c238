// The official client of Go.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/opensearch-project/opensearch-go/v4"
	"github.com/opensearch-project/opensearch-go/v4/opensearchapi"
)

const mapping = `{"text":{"type":"text"},"embedding":{"type":"knn_vector","dimension":2,` +
	`"method":{"name":"hnsw","engine":"lucene","space_type":"l2"}}}`
const body = `{"settings":{"index":{"knn":true,"number_of_replicas":0}},"mappings":{"properties":` + mapping + `}}`

var index = os.Getenv("INDEX")
var ctx = context.Background()

func step(name string, action func() (any, error)) {
	line := map[string]any{"step": name}
	if got, err := action(); err != nil {
		line["error"] = fmt.Sprintf("%T: %s", err, err)
	} else {
		line["got"] = got
	}
	printed, _ := json.Marshal(line)
	fmt.Println(string(printed))
}

func main() {
	client, err := opensearchapi.NewClient(opensearchapi.Config{Client: opensearch.Config{
		Addresses: []string{os.Getenv("URL")},
		Header:    http.Header{"X-Api-Key": []string{os.Getenv("KEY")}},
	}})
	if err != nil {
		panic(err)
	}
	found := func(query string) (any, error) {
		answer, err := client.Search(ctx, &opensearchapi.SearchReq{
			Indices: []string{index}, Body: strings.NewReader(`{"size":1,"query":` + query + `}`)})
		if err != nil {
			return nil, err
		}
		if len(answer.Hits.Hits) != 1 || answer.Hits.Hits[0].ID != "0" {
			return nil, fmt.Errorf("found %d documents", len(answer.Hits.Hits))
		}
		return answer.Hits.Hits[0].ID, nil
	}
	indices := []string{index}

	step("create", func() (any, error) {
		if _, err := client.Indices.Create(ctx, opensearchapi.IndicesCreateReq{Index: index, Body: strings.NewReader(body)}); err != nil {
			return nil, err
		}
		if _, err := client.Cluster.Health(ctx, &opensearchapi.ClusterHealthReq{Indices: indices}); err != nil {
			return nil, err
		}
		if _, err := client.Cat.Indices(ctx, &opensearchapi.CatIndicesReq{Indices: indices}); err != nil {
			return nil, err
		}
		answer, err := client.Indices.Exists(ctx, opensearchapi.IndicesExistsReq{Indices: indices})
		if err != nil {
			return nil, err
		}
		return answer.StatusCode, nil
	})
	step("write", func() (any, error) {
		lines := `{"index":{"_index":"` + index + `","_id":"0"}}` + "\n" + `{"text":"a river at night","embedding":[1,2]}` + "\n" +
			`{"index":{"_index":"` + index + `","_id":"1"}}` + "\n" + `{"text":"the quiet mountain","embedding":[7,8]}` + "\n"
		answer, err := client.Bulk(ctx, opensearchapi.BulkReq{
			Body: strings.NewReader(lines), Params: opensearchapi.BulkParams{Refresh: "true"}})
		if err != nil {
			return nil, err
		}
		if answer.Errors {
			return nil, fmt.Errorf("the bulk call has errors")
		}
		_, err = client.Update(ctx, opensearchapi.UpdateReq{
			Index: index, DocumentID: "1", Body: strings.NewReader(`{"doc":{"page":1}}`)})
		return len(answer.Items), err
	})
	step("read", func() (any, error) {
		if _, err := client.Info(ctx, nil); err != nil {
			return nil, err
		}
		answer, err := client.Document.Get(ctx, opensearchapi.DocumentGetReq{Index: index, DocumentID: "0"})
		if err != nil {
			return nil, err
		}
		return answer.Found, nil
	})
	step("keyword", func() (any, error) { return found(`{"match":{"text":"river"}}`) })
	step("vector", func() (any, error) { return found(`{"knn":{"embedding":{"vector":[1,2],"k":1}}}`) })
	step("recreate", func() (any, error) {
		kept, err := client.Indices.Get(ctx, opensearchapi.IndicesGetReq{Indices: indices})
		if err != nil {
			return nil, err
		}
		own := (*kept.IndicesGetRespData)[index]
		var settings map[string]map[string]any
		if err := json.Unmarshal(own.Settings, &settings); err != nil {
			return nil, err
		}
		for _, name := range []string{"uuid", "creation_date", "provided_name", "version"} {
			delete(settings["index"], name)
		}
		again, _ := json.Marshal(map[string]any{"settings": settings, "mappings": own.Mappings})
		if _, err := client.Indices.Delete(ctx, opensearchapi.IndicesDeleteReq{Indices: indices}); err != nil {
			return nil, err
		}
		answer, err := client.Indices.Create(ctx, opensearchapi.IndicesCreateReq{Index: index, Body: strings.NewReader(string(again))})
		if err != nil {
			return nil, err
		}
		return answer.Acknowledged, nil
	})
	step("delete", func() (any, error) {
		if _, err := client.Index(ctx, opensearchapi.IndexReq{Index: index, DocumentID: "0", Body: strings.NewReader(`{"text":"river"}`)}); err != nil {
			return nil, err
		}
		if _, err := client.Document.Delete(ctx, opensearchapi.DocumentDeleteReq{
			Index: index, DocumentID: "0", Params: opensearchapi.DocumentDeleteParams{Refresh: "true"}}); err != nil {
			return nil, err
		}
		if _, err := client.Document.DeleteByQuery(ctx, opensearchapi.DocumentDeleteByQueryReq{
			Indices: indices, Body: strings.NewReader(`{"query":{"match_all":{}}}`)}); err != nil {
			return nil, err
		}
		answer, err := client.Indices.Delete(ctx, opensearchapi.IndicesDeleteReq{Indices: indices})
		if err != nil {
			return nil, err
		}
		return answer.Acknowledged, nil
	})
}
