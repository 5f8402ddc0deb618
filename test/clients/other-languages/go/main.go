// An add-on with golang.org/x/oauth2 and go-oidc: see ../other-languages.system.test.ts.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/url"
	"os"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

func main() {
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, os.Getenv("ISSUER"))
	check(err)
	config := oauth2.Config{
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		RedirectURL:  os.Getenv("REDIRECT_URI"),
		Endpoint:     provider.Endpoint(),
		Scopes:       []string{oidc.ScopeOpenID, "profile", "email", "profiles:read"},
	}
	switch os.Getenv("AUTHENTICATION") {
	case "client_secret_basic":
		config.Endpoint.AuthStyle = oauth2.AuthStyleInHeader
	case "client_secret_post":
		config.Endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	verifier, state, nonce := oauth2.GenerateVerifier(), oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(verifier), oidc.Nonce(nonce)}
	if organization := os.Getenv("ORGANIZATION_ID"); organization != "" {
		options = append(options, oauth2.SetAuthURLParam("organization", organization))
	}
	fmt.Println(config.AuthCodeURL(state, options...))

	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	check(err)
	back, err := url.Parse(strings.TrimSpace(line))
	check(err)
	if back.Query().Get("state") != state {
		log.Fatal("another state")
	}
	tokens, err := config.Exchange(ctx, back.Query().Get("code"), oauth2.VerifierOption(verifier))
	check(err)
	raw, _ := tokens.Extra("id_token").(string)
	idToken, err := provider.Verifier(&oidc.Config{ClientID: config.ClientID}).Verify(ctx, raw)
	check(err)
	if idToken.Nonce != nonce {
		log.Fatal("another nonce")
	}
	person, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
	check(err)
	var inIDToken, inUserInfo struct {
		Organization any `json:"organization_id"`
	}
	check(idToken.Claims(&inIDToken))
	check(person.Claims(&inUserInfo))
	refreshed, err := config.TokenSource(ctx, &oauth2.Token{RefreshToken: tokens.RefreshToken}).Token()
	check(err)

	_, err = config.Exchange(ctx, "mkt_code_unknown", oauth2.VerifierOption(verifier))
	var refusal *oauth2.RetrieveError
	if !errors.As(err, &refusal) {
		log.Fatal(err)
	}
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"scope":     tokens.Extra("scope"),
		"subject":   idToken.Subject,
		"email":     person.Email,
		"token":     tokens.AccessToken,
		"refreshed": refreshed.AccessToken,
		"revoked":   false,
		"refusal":   refusal.ErrorCode,
		"organization": map[string]any{
			"token":    tokens.Extra("organization_id"),
			"id_token": inIDToken.Organization,
			"userinfo": inUserInfo.Organization,
		},
	}))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
